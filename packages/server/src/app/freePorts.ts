import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/schema/schema.ts'
import { ListenError } from '../gateway/errors.ts'
import { gatewayOptionsOf } from './gatewayOptions.ts'

/** Throws a ListenError before anything else is started for a service that could not listen. */
export async function requireFreePorts(config: Config): Promise<void> {
  const { host, port, metricsAt, adminAt } = gatewayOptionsOf(config)
  for (const place of [{ host, port }, metricsAt, adminAt])
    if (place !== null) await requireFreePort(place)
}

async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  // A client that connects in this moment must not delay the close.
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
