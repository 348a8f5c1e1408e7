import UIKit

final class ThumbnailCache {
    private let cache = NSCache<NSString, UIImage>()

    init() {
        cache.totalCostLimit = 200 * 1024 * 1024
    }
}
