# mlconv in an image, run by a user without rights:
#
#   docker build -t mlconv .                                       with TensorFlow
#   docker build -t mlconv --build-arg VARIANT=mlconv_core .       without
#   docker run --rm -v "$PWD:/work" -u "$(id -u):$(id -g)" mlconv convert model.onnx --to tflite
FROM python:3.12-slim AS build
ARG VARIANT=mlconv
ARG PREFIX=
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY mlconv ./mlconv
COPY tools/build_dists.py ./tools/build_dists.py
RUN python -m venv "$PREFIX/opt/mlconv"
RUN "$PREFIX/opt/mlconv/bin/pip" install --no-cache-dir "setuptools>=69"
RUN "$PREFIX/opt/mlconv/bin/python" tools/build_dists.py "$PREFIX/dists"
RUN "$PREFIX/opt/mlconv/bin/pip" install --no-cache-dir -c constraints.txt "$PREFIX/dists/$VARIANT"-*.whl

FROM python:3.12-slim
COPY --from=build /opt/mlconv /opt/mlconv
ENV PATH=/opt/mlconv/bin:$PATH PYTHONUNBUFFERED=1
# A number, so that a cluster can see that it is not root's; it owns nothing in the image.
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["mlconv"]
CMD ["--help"]
