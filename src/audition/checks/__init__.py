"""The checks on the shelf."""
