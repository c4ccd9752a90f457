/** Where a SPIRE of a test has its things. */
export interface Places {
  readonly trustDomain: string;
  readonly port: number;
  at(...names: readonly string[]): string;
}

/** SVIDs live for a minute, so that they are renewed about every half. Entries count after a second. */
export function serverConfiguration({ trustDomain, port, at }: Places): string {
  return `
server {
  bind_address = "127.0.0.1"
  bind_port = "${port}"
  socket_path = "${at('s.sock')}"
  trust_domain = "${trustDomain}"
  data_dir = "${at('server')}"
  log_level = "INFO"
  ca_ttl = "24h"
  default_x509_svid_ttl = "60s"
  experimental { cache_reload_interval = "1s" }
}
plugins {
  DataStore "sql" { plugin_data { database_type = "sqlite3" connection_string = "${at('server', 'data.sqlite3')}" } }
  NodeAttestor "join_token" { plugin_data {} }
  KeyManager "memory" { plugin_data {} }
}
`;
}

/** Its keys are on disk, so that it is let in again after it was killed. It asks for changes once a second. */
export function agentConfiguration({ trustDomain, port, at }: Places): string {
  return `
agent {
  server_address = "127.0.0.1"
  server_port = "${port}"
  socket_path = "${at('a.sock')}"
  trust_domain = "${trustDomain}"
  data_dir = "${at('agent')}"
  log_level = "INFO"
  insecure_bootstrap = true
  experimental { sync_interval = "1s" }
}
plugins {
  NodeAttestor "join_token" { plugin_data {} }
  KeyManager "disk" { plugin_data { directory = "${at('agent')}" } }
  WorkloadAttestor "unix" { plugin_data {} }
}
`;
}
