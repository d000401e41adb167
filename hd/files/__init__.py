"""The one file layer: bytes in and out, encoding, line endings, secret guard, ignore rules, walk and search."""
