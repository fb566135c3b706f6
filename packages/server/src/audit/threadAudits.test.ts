import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { createThreadAudits } from './threadAudits.ts'

test('behavior: an aborted audit rejects at once, even if the database hangs', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => void sockets.add(socket))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const connection = { host: '127.0.0.1', port, user: 'nobody', database: 'none' }
  const logger = createLogger('silent')
  const audits = createThreadAudits(connection, logger, new Map())
  const given = new AbortController()
  const question = {
    connection,
    chainId: 1,
    from: 1,
    to: 2,
    liquidityFromS: null,
    place: 0,
    setup: {} as never,
  }
  const asked = audits.audit(question, given.signal)
  await once(silent, 'connection')
  given.abort()
  await expect(asked).rejects.toThrow('This operation was aborted')
  for (const socket of sockets) socket.destroy()
  silent.close()
  await audits.close()
})
