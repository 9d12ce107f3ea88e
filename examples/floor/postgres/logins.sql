-- Who may log in. `archive` lays the schema out at its first start, and writes as stand17_archiver; Grafana looks on as the pit.
\getenv archive ARCHIVE_PASSWORD
\getenv grafana GRAFANA_PASSWORD
CREATE ROLE stand17_archiver;
CREATE ROLE stand17_pit;
CREATE ROLE stand17_auditor;
CREATE ROLE archive LOGIN PASSWORD :'archive' IN ROLE stand17_archiver, stand17_pit, stand17_auditor;
CREATE ROLE grafana LOGIN PASSWORD :'grafana' IN ROLE stand17_pit;
CREATE DATABASE floor OWNER archive;
