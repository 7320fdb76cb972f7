"""What is known of pictures, for all kernels that say they compute one."""


def annotate(kernel, annotations, context):
    if "pixels" not in annotations:
        return kernel
    if context["backend::target"] == "gpu":
        kernel = kernel.tile(i=32, j=32)  # neighbours leave at about the same turn
    elif "uneven" in annotations:
        kernel = kernel.schedule("dynamic,4")  # some rows take far more turns than others
    annotations.use("uneven")
    return kernel
