"""hfpy for Spack, from a checkout: ``spack repo add packaging/spack``, then ``spack dev-build py-hfpy@0.1.0`` in it."""

from spack.package import PythonPackage, depends_on, license, variant, version


class PyHfpy(PythonPackage):
    """Source-to-source compiler: one annotated Fortran source, fast CPU and GPU programs."""

    license("Apache-2.0")

    version("0.1.0")

    variant("numpy", default=True, description="hfpy.load, hfpy verify, hfpy tune")
    variant("plot", default=False, description="hfpy scale --plot")
    variant("progress", default=True, description="bars while a build works")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-setuptools@77:", type="build")

    depends_on("py-fparser@0.2.4:0.2", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))
    depends_on("py-click@8.1:", type=("build", "run"))
    depends_on("py-networkx@3:", type=("build", "run"))
    depends_on("py-islpy@2024.2:", type=("build", "run"))

    depends_on("py-numpy@1.24:", type=("build", "run"), when="+numpy")
    depends_on("py-numpy@1.24:", type=("build", "run"), when="+plot")
    depends_on("py-matplotlib@3.7:", type=("build", "run"), when="+plot")
    depends_on("py-rich@13:", type=("build", "run"), when="+progress")
