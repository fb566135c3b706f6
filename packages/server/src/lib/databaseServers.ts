const addressParts = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(.*)$/
const portMax = 65_535

/**
 * A URL for each server of a PostgreSQL URL in libpq's form:
 * postgres://user@one:5432,two:5433/name, or ?host=one,two&port=5432,5433. The URL of a single
 * server is returned unchanged.
 */
export function databaseServersOf(url: string): string[] {
  const [, scheme = '', authority = '', path = '', query = ''] = addressParts.exec(url) ?? []
  const params = new URLSearchParams(query.slice(1))
  const inQuery = params.get('host')
  if (inQuery !== null) return inQuery.includes(',') ? ofQuery(url, query, params) : [url]
  const at = authority.lastIndexOf('@') + 1
  const hosts = authority.slice(at).split(',')
  if (hosts.length === 1) return [url]
  return hosts.map((host) => `${scheme}${authority.slice(0, at)}${host}${path}${query}`)
}

/** A single port applies to all servers. */
function ofQuery(url: string, query: string, params: URLSearchParams): string[] {
  const ports = params.get('port')?.split(',') ?? []
  return params
    .get('host')!
    .split(',')
    .map((host, index) => {
      const own = new URLSearchParams(params)
      own.set('host', host)
      const port = ports.length === 1 ? ports[0] : ports[index]
      if (port !== undefined) own.set('port', port)
      return `${url.slice(0, url.length - query.length)}?${own}`
    })
}

/** The fault of a URL with several servers; null if it is valid. */
export function databaseServersProblem(url: string): string | null {
  const servers = databaseServersOf(url)
  if (servers.length === 1) return null
  const params = new URLSearchParams(url.replace(/^[^?]*/, '').slice(1))
  const ports = params.get('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== servers.length)
    return `names ${servers.length} hosts and ${ports.length} ports`
  for (const [index, server] of servers.entries()) {
    const problem = problemOf(server)
    if (problem !== null) return `${problem} (host ${index + 1} of ${servers.length})`
  }
  return null
}

function problemOf(server: string): string | null {
  const [, , authority = '', , query = ''] = addressParts.exec(server) ?? []
  const params = new URLSearchParams(query.slice(1))
  const written = authority.slice(authority.lastIndexOf('@') + 1)
  const host = params.get('host') ?? written.replace(/:[^:\]]*$/, '')
  if (host === '') return 'names no host between two commas'
  const port = params.get('port') ?? /:([^:\]]*)$/.exec(written)?.[1]
  if (port !== undefined && !isPort(port))
    return `has "${port.slice(0, 20)}" where a port belongs, 1 to ${portMax}`
  return URL.canParse(server) ? null : 'is no address'
}

const isPort = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= portMax
