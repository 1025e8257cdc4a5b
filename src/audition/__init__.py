"""audition: does an Agent Skill get called, stay quiet, and do its job?"""

__version__ = "0.1.0"
