"""Holds a CycloneDX bill of materials, JSON on stdin, against CycloneDX's own schema: exit code 0, or 1 with what is wrong."""
import json
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = sys.stdin.read()
version = SchemaVersion.from_version(json.loads(text)["specVersion"])
fault = JsonStrictValidator(version).validate_str(text)
sys.exit(None if fault is None else str(fault))
