#include "settings.h"

int settings_load(struct settings *out)
{
    if (out->version != SETTINGS_VERSION)
        return -1;
    return 0;
}
