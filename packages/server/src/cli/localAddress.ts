/** The address by which a local client reaches a service with this host and port. */
export function localAddress({ host, port }: { host: string; port: number }): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
