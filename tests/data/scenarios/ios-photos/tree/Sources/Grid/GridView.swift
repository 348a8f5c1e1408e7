import SwiftUI

struct GridView: View {
    let fetcher: AssetFetcher

    var body: some View {
        ScrollView { Text("grid.empty") }
    }
}
