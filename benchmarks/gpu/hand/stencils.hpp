// The kernels hdiffsa and fastwavesuv of the sample `stencils` written by hand in CUDA C: one thread a point, all stages
// in one kernel, each value that is needed at several points computed for each of them.

#ifndef STENCILS_HPP
#define STENCILS_HPP

constexpr int halo = 4;  // points around the domain, on all six sides

// Where an element lies: a row has all points along i, a plane all along i and j.
struct layout {
  int row, plane;
  __host__ __device__ layout(int nx, int ny) : row(nx + 2 * halo), plane((nx + 2 * halo) * (ny + 2 * halo)) {}
  __device__ int at(int i, int j, int k) const { return i + halo - 1 + row * (j + halo - 1) + plane * (k + halo - 1); }
};

__device__ inline double laplacian(const double *__restrict__ f, int n, int row, double to, double from) {
  return f[n - 1] + f[n + 1] - 2.0 * f[n] + to * (f[n + row] - f[n]) + from * (f[n - row] - f[n]);
}

// A flux that would carry up the gradient is none.
__device__ inline double limited(double flux, double gradient) { return flux * gradient > 0.0 ? 0.0 : flux; }

__global__ void hdiffsa(int nx, int ny, int nz, const double *__restrict__ inp, const double *__restrict__ mask,
                        const double *__restrict__ crlato, const double *__restrict__ crlatu, double *__restrict__ out) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const int k = 1 + blockIdx.z * blockDim.z + threadIdx.z;
  if (i > nx || j > ny || k > nz) return;
  const layout all(nx, ny);
  const int n = all.at(i, j, k), row = all.row, m = j + halo - 1;
  const double here = laplacian(inp, n, row, crlato[m], crlatu[m]);
  const double west = laplacian(inp, n - 1, row, crlato[m], crlatu[m]);
  const double east = laplacian(inp, n + 1, row, crlato[m], crlatu[m]);
  const double south = laplacian(inp, n - row, row, crlato[m - 1], crlatu[m - 1]);
  const double north = laplacian(inp, n + row, row, crlato[m + 1], crlatu[m + 1]);
  const double flx_w = limited(here - west, inp[n] - inp[n - 1]);
  const double flx_e = limited(east - here, inp[n + 1] - inp[n]);
  const double fly_s = limited(crlato[m - 1] * (here - south), inp[n] - inp[n - row]);
  const double fly_n = limited(crlato[m] * (north - here), inp[n + row] - inp[n]);
  out[n] = inp[n] + mask[n] * (flx_w - flx_e + fly_s - fly_n);
}

// The pressure at the lower side of a level, and the difference over the level.
__device__ inline double lower(const double *__restrict__ wgtfac, const double *__restrict__ ppuv, int n, int plane) {
  return wgtfac[n] * ppuv[n] + (1.0 - wgtfac[n]) * ppuv[n - plane];
}
__device__ inline double over(const double *__restrict__ wgtfac, const double *__restrict__ ppuv, int n, int plane) {
  return lower(wgtfac, ppuv, n + plane, plane) - lower(wgtfac, ppuv, n, plane);
}

// The gradient of pressure towards a neighbour, along surfaces that follow the terrain.
__device__ inline double gradient(const double *__restrict__ ppuv, const double *__restrict__ hhl, double here, double there,
                                  int n, int to, int plane) {
  return (ppuv[to] - ppuv[n]) + 0.5 * (there + here) * ((hhl[n + plane] + hhl[n]) - (hhl[to + plane] + hhl[to])) /
                                    ((hhl[n + plane] - hhl[n]) + (hhl[to + plane] - hhl[to]));
}

__global__ void fastwavesuv(int nx, int ny, int nz, double dt, double edadlat, const double *__restrict__ uin,
                            const double *__restrict__ utens, const double *__restrict__ vin,
                            const double *__restrict__ vtens, const double *__restrict__ wgtfac,
                            const double *__restrict__ ppuv, const double *__restrict__ hhl,
                            const double *__restrict__ rho, const double *__restrict__ fx, double *__restrict__ uout,
                            double *__restrict__ vout) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const int k = 1 + blockIdx.z * blockDim.z + threadIdx.z;
  if (i > nx || j > ny || k > nz) return;
  const layout all(nx, ny);
  const int n = all.at(i, j, k), row = all.row, plane = all.plane;
  const double here = over(wgtfac, ppuv, n, plane);
  const double ppgu = gradient(ppuv, hhl, here, over(wgtfac, ppuv, n + 1, plane), n, n + 1, plane);
  const double ppgv = gradient(ppuv, hhl, here, over(wgtfac, ppuv, n + row, plane), n, n + row, plane);
  uout[n] = uin[n] + dt * (utens[n] - ppgu * (2.0 * fx[j + halo - 1] / (rho[n + 1] + rho[n])));
  vout[n] = vin[n] + dt * (vtens[n] - ppgv * (2.0 * edadlat / (rho[n + row] + rho[n])));
}

#endif
