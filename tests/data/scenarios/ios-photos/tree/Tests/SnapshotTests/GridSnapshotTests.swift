import XCTest

final class GridSnapshotTests: XCTestCase {
    let isRecording = false

    func testEmptyGrid() {}
}
