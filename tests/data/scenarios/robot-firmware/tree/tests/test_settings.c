#include <assert.h>
#include "settings.h"
int main(void)
{
    struct settings s = {.version = SETTINGS_VERSION};
    assert(settings_load(&s) == 0);
    return 0;
}
