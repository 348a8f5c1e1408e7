import Photos

/// The only place that talks to PhotoKit.
actor AssetFetcher {
    func albums() -> [PHAssetCollection] { [] }

    func assets(in album: PHAssetCollection) -> PHFetchResult<PHAsset> {
        PHAsset.fetchAssets(in: album, options: nil)
    }
}
