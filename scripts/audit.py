#!/usr/bin/env python3
"""Dependencies: a bill of materials (sbom), or known weaknesses (audit).

The tools live in build/audit, a virtual environment of their own. Exit status of `audit`: 0 when
everything was looked up and nothing is known, 1 when a weakness is, 3 when the database answered
for no package (no network): that is no clean result.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / 'build' / 'audit'
REQUIREMENTS = ROOT / 'requirements'
SBOM = ROOT / 'build' / 'sbom.json'
#: Seconds that pip and the database may take.
_PATIENCE = 600
_NO_ANSWER = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=('sbom', 'audit'))
    what = parser.parse_args().what
    _install()
    return sbom() if what == 'sbom' else audit()


def _install() -> None:
    python = TOOLS / 'bin' / 'python'
    if not python.is_file():
        venv.create(TOOLS, with_pip=True)
    command = [str(python), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    wanted = str(REQUIREMENTS / 'audit.txt')
    subprocess.run([*command, '-r', wanted], check=True, timeout=_PATIENCE)


def sbom() -> int:
    """What the virtual environment of the checkout holds, as CycloneDX."""
    python = ROOT / '.venv' / 'bin' / 'python'
    command = [str(TOOLS / 'bin' / 'cyclonedx-py'), 'environment', str(python)]
    options = ['--output-reproducible', '--of', 'JSON', '-o', str(SBOM)]
    subprocess.run([*command, *options], check=True, timeout=_PATIENCE)
    components = json.loads(SBOM.read_text('utf-8'))['components']
    print(f'{len(components)} components: {SBOM.relative_to(ROOT)}')
    return 0


def audit() -> int:
    """Known weaknesses of everything that the requirements pull in."""
    command = [str(TOOLS / 'bin' / 'pip-audit'), '-r', str(REQUIREMENTS / 'constraints.txt')]
    options = ['--no-deps', '--disable-pip', '--format', 'json', '--progress-spinner', 'off']
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, check=False, timeout=_PATIENCE
    )
    try:
        packages = json.loads(done.stdout)['dependencies']
    except ValueError:
        print(f'audit: the database cannot be asked: {done.stderr[-500:]}', file=sys.stderr)
        return _NO_ANSWER
    return report(packages)


def report(packages: list[dict]) -> int:
    """Print what is known; the exit status. :param packages: as pip-audit tells them."""
    skipped = [package['name'] for package in packages if 'skip_reason' in package]
    for package in packages:
        for known in package.get('vulns', ()):
            mended = ', '.join(known.get('fix_versions', ())) or 'none yet'
            print(f'{package["name"]} {package["version"]}: {known["id"]}; mended in {mended}')
    if len(skipped) == len(packages):
        print('audit: the database knows none of the packages: is there a network?')
        return _NO_ANSWER
    weak = sum(bool(package.get('vulns')) for package in packages)
    print(f'{len(packages) - len(skipped)} packages looked up, {weak} with known weaknesses.')
    if skipped:
        print(f'Not on PyPI, so not looked up: {", ".join(skipped)}')
    return 1 if weak else 0


if __name__ == '__main__':
    sys.exit(main())
