/** A node of a chain; null if its blocks are polled. */
export type StarterEndpoint = { httpUrl: string; wsUrl: string | null }

export type StarterChains = ReadonlyMap<string, readonly StarterEndpoint[]>

/** Returns a commented configuration in YAML for chains with a preset. */
export function starterConfig(chains: StarterChains): string {
  const sections = [...chains].map(([name, endpoints]) => chainSection(name, endpoints))
  return `# Configuration of Chaintape. The file may contain secrets: only its owner should read it.
# All settings: chaintape config docs

chains:
${sections.join('')}
# Your own PostgreSQL. Without it, the service runs a private one below data_dir.
# database_url: postgres://user:password@127.0.0.1:5432/chaintape

# Stored data: database, snapshots, keys.
# data_dir: .chaintape

# Put TLS in front before you listen on a public address.
# server:
#   host: 127.0.0.1
#   port: 8080
`
}

function chainSection(name: string, endpoints: readonly StarterEndpoint[]): string {
  return `  ${name}:
    # Several endpoints take over from each other.
    rpc:
${endpoints.map(endpointLines).join('')}    # First block to index: a number, or latest.
    # start_block: latest
`
}

// A JSON string is a YAML string.
function endpointLines({ httpUrl, wsUrl }: StarterEndpoint): string {
  const ws =
    wsUrl === null
      ? '        # Announces new blocks; without it they are polled.\n        # ws_url: wss://...\n'
      : `        ws_url: ${JSON.stringify(wsUrl)}\n`
  return `      - http_url: ${JSON.stringify(httpUrl)}
${ws}        # Calls per second that the endpoint allows.
        # requests_per_second_max: 50
`
}
