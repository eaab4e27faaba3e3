"""What the commands of `reactree memory` do with a store, without printing anything."""
