import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { clientConfigOf } from './connection.ts'
import { databaseFault } from './errors.ts'
import { StoreClient } from './storeClient.ts'

/** A server that refuses all connections with this message. */
async function startRefusing(message: string) {
  const fields = Buffer.from(`SFATAL\0C28P01\0M${message}\0D${message}\0\0`)
  const answer = Buffer.alloc(5)
  answer.write('E')
  answer.writeInt32BE(fields.length + 4, 1)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([answer, fields])))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

test.each([1, 2])(
  'behavior: what a server of %i quotes of its address is hidden',
  async (count) => {
    const quoted = 'user "owner-of-it" with pass%2Fword and pass/word of market'
    const server = await startRefusing(quoted)
    try {
      const names = ['127.0.0.1', 'localhost'].slice(0, count)
      const hosts = names.map((name) => `${name}:${server.port}`).join(',')
      const databaseUrl = `postgres://owner-of-it:pass%2Fword@${hosts}/market?sslmode=disable`
      const client = new StoreClient(clientConfigOf({ databaseUrl }, 'test'))
      const error: unknown = await client.connect().catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: '28P01' })
      const shown = `${inspect(error, { depth: 9 })}${databaseFault(error, 'it').message}`
      expect(shown).toContain('user "<hidden>" with <hidden> and <hidden> of market')
      expect(shown).not.toMatch(/owner-of-it|word/)
    } finally {
      server.close()
    }
  },
)
