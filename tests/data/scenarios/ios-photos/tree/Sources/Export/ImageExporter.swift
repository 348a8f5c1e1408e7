import ImageIO

struct ImageExporter {
    func orientation(of source: CGImageSource) -> CGImagePropertyOrientation {
        let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any]
        let raw = properties?[kCGImagePropertyOrientation] as? UInt32
        return raw.flatMap(CGImagePropertyOrientation.init) ?? .up
    }
}
