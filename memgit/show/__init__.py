"""What a person looks at in a browser: values in, one page of HTML out. Nothing here reads or writes a file of a store.

Whatever is put into a page goes through ``markup``, which escapes it; there is no other way to make HTML.
"""
