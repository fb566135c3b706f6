import type { ReadyBody } from '@chaintape/protocol'

// A service on this machine answers its health within milliseconds unless it hangs.
const probeMsMax = 5_000

/** Health of the service at an address; null when nothing of ours answers there. */
export async function probeService(address: string): Promise<ReadyBody | null> {
  try {
    const response = await fetch(`${address}/health/ready`, {
      signal: AbortSignal.timeout(probeMsMax),
    })
    const body: unknown = await response.json()
    return isReadyBody(body) ? body : null
  } catch {
    // Refused, timed out or not JSON: whatever is there, it is not a service that runs.
    return null
  }
}

function isReadyBody(body: unknown): body is ReadyBody {
  return typeof body === 'object' && body !== null && 'ready' in body && 'chains' in body
}

/** Where a service with this host and port is reached from the same machine. */
export function localAddress({ host, port }: { host: string; port: number }): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
