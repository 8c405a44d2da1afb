# docker build -t sightline . && docker run --rm -it sightline demo
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY inspector inspector
COPY themes themes
COPY recordings recordings
RUN python -m venv /opt/sightline && /opt/sightline/bin/pip install --no-cache-dir -c constraints.txt .

FROM python:3.13-slim
COPY --from=build /opt/sightline /opt/sightline
RUN useradd --create-home sightline
ENV PATH=/opt/sightline/bin:$PATH
USER sightline
WORKDIR /home/sightline
ENTRYPOINT ["sightline"]
