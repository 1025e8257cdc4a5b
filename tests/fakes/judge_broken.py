"""A judge that does not say what was asked for: judge_broken.py prose|half|empty|crash|flood|two."""

import sys

habit = sys.argv[1]
prompt = sys.stdin.read()
match habit:
    case "prose":
        print("I think the session was really rather good.")
    case "half":
        print('{"answers": [{"criterion": "says", "citations": [')
    case "crash":
        print("no key", file=sys.stderr)
        sys.exit(3)
    case "flood":
        while True:
            sys.stdout.write("x" * 65536)
    case "two":
        print('{"answers": []} or perhaps {"answers": [{"criterion": "says"}]}')
