enum Flag: String {
    case sharedAlbums = "bx_shared_albums"
    case newExport = "bx_new_export"
}
