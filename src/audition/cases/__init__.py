"""The case formats on the shelf: one function a format."""
