"""The agents on the shelf: one file each, independent of one another."""
