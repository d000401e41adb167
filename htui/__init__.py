"""The terminal client that steers `hd`, and any host that speaks its wire."""
