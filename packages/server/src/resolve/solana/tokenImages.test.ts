import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { metadataAddressOf, metadataProgram } from './mintMetadata.ts'
import { fetchTargetOf, readTokenImages, type TokenImagesOptions } from './tokenImages.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done))
})

/** Starts a host that serves one file per path. */
async function serve(files: Record<string, string>) {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url in files ? 200 : 404).end(files[url])
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, asked }
}

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const mintOf = (byte: number) => encodeBase58(Buffer.alloc(32, byte))

const text = (value: string) => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
const textsOf = (uri: string) => Buffer.concat([text('Name'), text('SYM'), text(uri)])

const mintData = () => {
  const data = Buffer.alloc(82)
  data[45] = 1
  return data
}

/** Data of a mint with a metadata extension. */
function extendedMint(uri: string): Buffer {
  const texts = Buffer.concat([Buffer.alloc(64), textsOf(uri)])
  const head = Buffer.alloc(4)
  head.writeUInt16LE(19)
  head.writeUInt16LE(texts.length, 2)
  const padding = Buffer.alloc(165 - 82)
  return Buffer.concat([mintData(), padding, Buffer.of(1), head, texts])
}

/** Simulates a node with these accounts. */
function rpcOf(accounts: Record<string, { owner: string; data: Buffer }>) {
  const answer = (key: string) => {
    const found = accounts[key]
    return found
      ? { owner: found.owner, lamports: 1, data: [found.data.toString('base64'), 'base64'] }
      : null
  }
  return {
    requestBatch: async (calls: readonly { params: readonly unknown[] }[]) =>
      calls.map(({ params }) => ({
        ok: true,
        value: { value: (params[0] as string[]).map(answer) },
        endpoint: 0,
      })),
  } as unknown as TokenImagesOptions['rpc']
}

const signal = new AbortController().signal
// Longer than any test runs.
const limits = { msMax: 3_600_000 }

test("default: image URLs come from the JSON behind a token's URI, read from public hosts and gateways only", async () => {
  const host = await serve({
    '/a.json': '{"name":"A","image":"https://images.example/a.png"}',
    '/ipfs/Qm1/b.json': '{"image":"ipfs://Qm2/b c.png"}',
    '/ipfs/Qm1/c.json': '{"image":"ipfs://ipfs/Qm3"}',
  })
  const [a, b, c, d] = [1, 2, 3, 4].map(mintOf) as [string, string, string, string]
  const plain = { owner: tokenProgram, data: mintData() }
  const metadata = (uri: string) => ({
    owner: metadataProgram,
    data: Buffer.concat([Buffer.of(4), Buffer.alloc(64), textsOf(uri)]),
  })
  const rpc = rpcOf({
    [a]: plain,
    [metadataAddressOf(a)]: metadata(`${host.url}/a.json\0\0\0`),
    [b]: { owner: token2022, data: extendedMint('ipfs://Qm1/b.json') },
    [c]: { owner: token2022, data: extendedMint('ipfs://Qm1/c.json') },
    [d]: plain,
  })
  const images = await readTokenImages(
    {
      rpc,
      limits,
      gateways: { ipfs: `${host.url}/ipfs/{path}` },
      isAllowed: ({ port }) => port === host.port,
    },
    [a, b, c, d],
    signal,
  )
  expect([...images].toSorted()).toEqual(
    [
      // The URI leads to a private address that is not a configured gateway.
      [a, ''],
      // The image path contains a space and would need rewriting.
      [b, ''],
      [c, `${host.url}/ipfs/Qm3`],
      [d, ''],
    ].toSorted(),
  )
  expect(host.asked).not.toContain('/a.json')
})

test('error: invalid JSON, JSON without an image, or a private address yields no image', async () => {
  const host = await serve({
    '/x/1': 'no json',
    '/x/2': '{"image":7}',
    '/x/3': 'null',
    '/x/4': '{"image":"javascript:alert(1)"}',
    '/x/5': '{"image":"http://127.0.0.1/x.png"}',
    '/x/6': `{"image":"${'x'.repeat(70_000)}"}`,
    '/x/7': '{"image":"https://i.example/\\"onload=\\"x.png"}',
  })
  const mints = [1, 2, 3, 4, 5, 6, 7].map(mintOf)
  const accounts = mints.map((mint, at) => {
    return [mint, { owner: token2022, data: extendedMint(`ar://${at + 1}`) }] as const
  })
  const images = await readTokenImages(
    {
      rpc: rpcOf(Object.fromEntries(accounts)),
      limits,
      gateways: { arweave: `${host.url}/x/{path}` },
    },
    mints,
    signal,
  )
  expect(mints.map((mint) => images.get(mint))).toEqual([
    ...['', '', '', '', '', ''],
    'https://i.example/%22onload=%22x.png',
  ])
})

test("error: without a node's answer the result is empty", async () => {
  const rpc = {
    requestBatch: async () => {
      throw new RangeError('away')
    },
  } as unknown as TokenImagesOptions['rpc']
  expect((await readTokenImages({ rpc, gateways: {} }, [mintOf(1)], signal)).size).toBe(0)
})

test.each([
  ['ipfs://Qm/../../api/v0/shutdown', null],
  ['ipfs://Qm/%2e%2e/api', null],
  ['ipfs://Qm/..%2f..%2fadmin', null],
  ['ipfs://Qm/..%5c..%5cadmin', null],
  ['ipfs://Qm/a%2fb', null],
  ['ipfs://Qm/a%2F..', null],
  ['ipfs://Qm/%252e%252e/api', null],
  ['ipfs://Qm/%252e%252e%252fapi', null],
  ['ipfs://Qm/a%00.png', null],
  ['ipfs://Qm/a%0d%0aX-A:%20b', null],
  ['ipfs://Qm/a%0d%0a', null],
  ['ipfs://Qm/a%C2%85b', null],
  ['ipfs://Qm/a%zz', null],
  ['ipfs://Qm/a%ff', null],
  ['ipfs://Qm/.../a', null],
  ['ipfs://..', null],
  ['ipfs://Qm/b%20c%C3%A9.png', 'http://127.0.0.1/ipfs/Qm/b%20c%C3%A9.png'],
  ['ipfs://Qm/a..b', 'http://127.0.0.1/ipfs/Qm/a..b'],
  ['ipfs://Qm?arg=1', null],
  ['ipfs://Qm#x', null],
  ['ar://Qm', null],
  ['file:///etc/passwd', null],
  ['data:application/json,{}', null],
  ['http://10.0.0.1/a.json', null],
  ['https://user:word@a.example/', null],
  [`https://a.example/${'x'.repeat(3_000)}`, null],
  ['ipfs://Qm/a.json', 'http://127.0.0.1/ipfs/Qm/a.json'],
  ['IPFS://ipfs/Qm', 'http://127.0.0.1/ipfs/Qm'],
  ['https://a.example/a.json', 'https://a.example/a.json'],
])('behavior: %s is fetched from the allowed URL or not at all', (uri, url) => {
  expect(fetchTargetOf(uri, { ipfs: 'http://127.0.0.1/ipfs/{path}' })?.url ?? null).toBe(url)
})
