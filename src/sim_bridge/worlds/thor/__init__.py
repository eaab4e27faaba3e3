"""AI2-THOR behind the bridge, with ALFRED's tasks; see docs/thor.md."""
