"""A judge that never answers."""

import time

time.sleep(600)
