"""The executors on the shelf."""
