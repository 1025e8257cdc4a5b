"""A judge that refuses."""

import sys

sys.stdin.read()
print("I'm sorry, but I can't help with evaluating that.")
