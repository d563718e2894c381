"""Builds of packages of Debian and of RPM: the root is the line that names what is missing, not who passed it on."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures
from kb.failures.model import Failure

DEBIAN = """\
dpkg-buildpackage: info: source package till
 debian/rules build
dh build
   dh_update_autotools_config
   dh_auto_configure
checking for a BSD-compatible install... /usr/bin/install -c
make[1]: Entering directory '/build/till-1.2'
{output}
make[1]: *** [Makefile:41: all] Error 1
make[1]: Leaving directory '/build/till-1.2'
dh_auto_build: error: make -j4 returned exit code 2
make: *** [debian/rules:8: build] Error 25
dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2
"""
RPM = """\
Executing(%build): /bin/sh -e /var/tmp/rpm-tmp.Ab12Cd
+ umask 022
+ make -j4
{output}
error: Bad exit status from /var/tmp/rpm-tmp.Ab12Cd (%build)


RPM build errors:
    Bad exit status from /var/tmp/rpm-tmp.Ab12Cd (%build)
Child return code was: 1
EXCEPTION: [Error('Command failed: \\n # /usr/bin/systemd-nspawn -q bash --login -c /usr/bin/rpmbuild\\n', 1)]
Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/mockbuild/trace_decorator.py", line 93, in trace
    result = func(*args, **kw)
mockbuild.exception.Error: Command failed:{space}
 # /usr/bin/systemd-nspawn -q bash --login -c /usr/bin/rpmbuild
"""
#: What is missing, and the line that says so.
MISSING = (
    ("docbook2man", "/bin/sh: 1: docbook2man: not found"),
    ("gtkdocize", "./autogen.sh: 9: gtkdocize: not found"),
    ("intltoolize", "make[1]: intltoolize: Command not found"),
    ("python2", "/usr/bin/env: 'python2': No such file or directory"),
    ("aclocal", "Can't exec \"aclocal\": No such file or directory at /usr/share/autoconf/Autom4te/FileUtils.pm line 326."),
    ("xsltproc", "configure: error: xsltproc is required to build the manual pages"),
    ("git", 'fork/exec: exec: "git": executable file not found in $PATH'),
    ("swig", "unable to execute 'swig': No such file or directory"),
    ("swig", "error: command 'swig' failed: No such file or directory"),
    ("itstool", "../meson.build:12:0: ERROR: Program 'itstool' not found or not executable"),
    ("glib-2.0", '../meson.build:55:0: ERROR: Dependency "glib-2.0" not found, tried pkgconfig and cmake'),
    ("till.xsl", "make[1]: *** No rule to make target '/usr/share/till/till.xsl', needed by 'till.1'.  Stop."),
    ("tepl-3", "No package 'tepl-3' found"),
    ("libusb.h", "till.c:8:10: fatal error: libusb.h: No such file or directory"),
    ("lapack", "/usr/bin/ld: cannot find -llapack: No such file or directory"),
    ("breathe", "Could not import extension breathe (exception: No module named 'breathe')"),
    ("Module/Build/Tiny.pm", "Can't locate Module/Build/Tiny.pm in @INC (you may need to install the "
     "Module::Build::Tiny module) (@INC contains: /etc/perl) at Build.PL line 3."),
    ("pytest", "/usr/bin/python3.11: No module named pytest"),
    ("cloudabi", "error: no matching package named `cloudabi` found"),
    ("dendextend", "ERROR: dependency 'dendextend' is not available for package 'till'"),
    ("testthat", "Error in library(testthat) : there is no package called 'testthat'"),
    ("childprocess", "Could not find gem 'childprocess (~> 0.5)' in any of the gem sources listed in your Gemfile."),
    ("async", "hlibrary.setup: Encountered missing or private dependencies:\nasync >=2.2 && <2.3"),
    ("camlp4", "ocamlfind: Package `camlp4' not found"),
    ("GnomeDesktop-3.0.gir", "Couldn't find include 'GnomeDesktop-3.0.gir' (search path: '['/usr/share/gir-1.0']')"),
    ("libtill.so.1", "dpkg-shlibdeps: error: no dependency information found for /usr/lib/libtill.so.1 (used by "
     "debian/till/usr/bin/till)"),
    ("usr/lib/till", 'dh_install: warning: Cannot find (any matches for) "usr/lib/till" (tried in ., debian/tmp)\n\n'
     "dh_install: error: missing files, aborting"),
    ("till.conf", "install: cannot stat 'till.conf': No such file or directory"),
    ("No space left", "/usr/bin/ld: final link failed: No space left on device"),
    ("gdb", "The configuration failed: Could not find the program ['gdb']"),
    ("gtest", "CMake Error at CMakeLists.txt:12 (add_subdirectory):\n  The source directory\n\n    /usr/src/gtest\n\n"
     "  does not contain a CMakeLists.txt file.\n\n\n-- Configuring incomplete, errors occurred!"),
)  # fmt: skip


def root(log: str) -> Failure:
    found = find_failures(log)
    assert found.primary is not None
    assert not found.symptom_only
    return found.failures[found.primary]


@pytest.mark.parametrize("build", [DEBIAN, RPM], ids=["debian", "rpm"])
@pytest.mark.parametrize(("missing", "output"), MISSING)
def test_what_is_missing_is_named_by_the_root(build: str, missing: str, output: str) -> None:
    log = build.format(output=output, space=" ")
    failure = root(log)
    assert missing in f"{failure.type}: {failure.message}"
    assert log.split("\n").index(output.split("\n")[0]) + 1 in range(failure.first_line, failure.last_line + 1)


@pytest.mark.parametrize(
    ("missing", "log"),
    [
        ("libtill-devel", "Getting requirements for till-1.2-1.src\nError: \n"
         " Problem: nothing provides requested libtill-devel >= 2\n(try to add '--skip-broken')\n"),
        ("python3-drawer", "No matching package to install: 'python3-drawer'\nNot all dependencies satisfied\n"
         "Error: Some packages could not be found.\n"),
        ("python3dist(drawer)", "error: Failed build dependencies:\n"
         "\tpython3dist(drawer) >= 2 is needed by till-1.2-1.fc39.x86_64\n"),
        ("libtill.la", "error: Installed (but unpackaged) file(s) found:\n   /usr/lib64/libtill.la\n\n"
         "RPM build errors:\n    Installed (but unpackaged) file(s) found:\n   /usr/lib64/libtill.la\n"),
        ("till.c.rej", "Patch #1 (till.patch):\n1 out of 3 hunks FAILED -- saving rejects to file src/till.c.rej\n"
         "error: Bad exit status from /var/tmp/rpm-tmp.Ab12Cd (%prep)\n"),
    ],
)  # fmt: skip
def test_what_rpm_and_dnf_miss_is_named(missing: str, log: str) -> None:
    assert missing in root(log).message


@pytest.mark.parametrize("build", [DEBIAN, RPM], ids=["debian", "rpm"])
def test_a_build_that_says_no_reason_shows_symptoms_only(build: str) -> None:
    assert find_failures(build.format(output="making till", space=" ")).symptom_only


def test_an_error_of_cmake_behind_the_margin_of_pip_is_the_root() -> None:
    failure = root(
        "Building wheels for collected packages: till\n"
        "  error: subprocess-exited-with-error\n  \n"
        "  × Building wheel for till (pyproject.toml) did not run successfully.\n"
        "  │ exit code: 1\n  ╰─> [12 lines of output]\n"
        "      -- Performing Test HAVE_DRAWER\n"
        "      CMake Error at cmake/Drawer.cmake:31 (message):\n"
        "        No drawer given.  Please set TILL_DRAWER\n"
        "      Call Stack (most recent call first):\n"
        "        CMakeLists.txt:12 (find_package)\n      \n      \n"
        "      -- Configuring incomplete, errors occurred!\n"
        "      error: command '/usr/bin/cmake' failed with exit code 1\n"
        "      [end of output]\n  \n"
        "  note: This error originates from a subprocess, and is likely not a problem with pip.\n"
        "  ERROR: Failed building wheel for till\n"
    )
    assert (failure.type, failure.message) == ("CMake Error", "No drawer given.  Please set TILL_DRAWER")
    assert [frame.file for frame in failure.frames] == ["CMakeLists.txt", "cmake/Drawer.cmake"]


@pytest.mark.parametrize(
    "said",
    [
        "need to be root",
        "shutdown: NOT super-user",
        "The program 'till' is currently not installed.",
        "eth7: error fetching interface information: Device not found",
        "till: log is not a till command",
        "Migrations are pending.",
        "not found",
    ],
)
def test_the_last_words_of_a_command_tell_why_it_failed(said: str) -> None:
    assert said.endswith(root(f"till 3.1\n{said}\n").message)


@pytest.mark.parametrize(
    "said", ["2 users found", "migrations are up to date", "the drawer is a command", "run as root"]
)
def test_last_words_that_complain_of_nothing_are_no_failure(said: str) -> None:
    assert find_failures(f"till 3.1\n{said}\n").failures == ()
