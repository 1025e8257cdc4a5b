"""The sandboxes on the shelf."""
