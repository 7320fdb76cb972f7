"""What is known of spectral elements, for all kernels that say what they are."""


def annotate(kernel, annotations, context):
    gpu = context["backend::target"] == "gpu"
    if "order" in annotations:
        # The loops over the points of an element are short: with numbers for their bounds they become straight code.
        kernel = kernel.specialise(annotations["order"])
    if "element" in annotations and gpu and context["backend::name"] == "cuda-c":
        i, j, _ = annotations["points"].split()
        kernel = kernel.team({i: 8, j: 8})  # an element for each block, its layers one after the other
    if "vector" in annotations and gpu:
        kernel = kernel.block(512) if context["backend::name"].startswith("cuda") else kernel
    annotations.use("element")
    annotations.use("points")
    return kernel
