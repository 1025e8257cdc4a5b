from audition.agent import Command
from audition.sandbox import Place, sandboxes

PLACE = Place(root="/r", workspace="/r/work", home="/r/home", tmp="/r/tmp")
USER = {
    "PATH": "/bin",
    "LC_ALL": "C",
    "HOME": "/users/me",
    "XDG_CONFIG_HOME": "/users/me/.config",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "ANTHROPIC_API_KEY": "key",
    "https_proxy": "http://proxy",
    "GIT_DIR": "/users/me/project/.git",
    "PYTHONPATH": "/users/me/lib",
}


def box(name, command=None, lets_through=()):
    return sandboxes[name](command or Command(argv=("x", "y")), PLACE, lets_through, USER)


def test_home_hides_the_users_home_and_every_folder_that_hangs_on_it():
    boxed = box("home")
    assert boxed.argv == ("x", "y")
    assert not [value for value in boxed.env.values() if "/users/me" in value]
    assert boxed.env["HOME"] == "/r/home"
    below = {name: value for name, value in boxed.env.items() if name.startswith("XDG_")}
    assert len(below) == 5
    assert all(value.startswith("/r/") for value in below.values())
    assert (boxed.env["TMPDIR"], boxed.env["PWD"]) == ("/r/tmp", "/r/work")


def test_home_passes_what_programs_need_and_no_secret():
    env = box("home").env
    assert (env["PATH"], env["LC_ALL"], env["https_proxy"]) == ("/bin", "C", "http://proxy")
    assert not env.keys() & {"AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "GIT_DIR", "PYTHONPATH"}


def test_home_lets_the_agents_own_variables_through():
    env = box("home", lets_through=("ANTHROPIC_API_KEY", "NOT_SET")).env
    assert env["ANTHROPIC_API_KEY"] == "key"
    assert "NOT_SET" not in env
    assert "AWS_SECRET_ACCESS_KEY" not in env


def test_home_keeps_git_from_looking_upward_and_at_the_users_settings():
    env = box("home").env
    assert env["GIT_CEILING_DIRECTORIES"] == "/r"
    assert (env["GIT_CONFIG_NOSYSTEM"], env["GIT_CONFIG_GLOBAL"]) == ("1", "/dev/null")


def test_what_a_command_says_wins_in_both_sandboxes():
    command = Command(argv=("x",), env={"HOME": "/own", "NEW": "1"})
    for name in ("home", "none"):
        env = box(name, command).env
        assert (env["HOME"], env["NEW"]) == ("/own", "1")


def test_none_gives_the_callers_environment():
    assert box("none").env == {**USER, "PWD": "/r/work"}
