import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/schema/schema.ts'
import { ListenError } from '../gateway/errors.ts'
import { gatewayOptionsOf } from './gatewayOptions.ts'

/** Throws a ListenError if a configured port is taken, before the start changes anything. */
export async function requireFreePorts(config: Config): Promise<void> {
  const { host, port, metricsAt, adminAt } = gatewayOptionsOf(config)
  for (const place of [{ host, port }, metricsAt, adminAt])
    if (place !== null) await requireFreePort(place)
}

async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  // Drop clients that connect meanwhile, since an open connection would delay the close.
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    throw new ListenError({ host, port, cause })
  }
  server.close()
  await once(server, 'close')
}
