import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type FetchPublicOptions, fetchPublic } from './fetchPublic.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

const open: FetchPublicOptions = {
  bytesMax: 1_000,
  msMax: 60_000,
  redirectsMax: 2,
  signal: new AbortController().signal,
}
// Allows only the test's own server.
const local = (...ports: number[]): FetchPublicOptions => ({
  ...open,
  isAllowed: ({ address, port }) => address === '127.0.0.1' && ports.includes(port),
})

const faultOf = async (url: string, options: FetchPublicOptions) => {
  const fetched = await fetchPublic(url, options)
  return fetched.ok ? fetched.bytes.toString() : fetched.fault
}

test('default: what is there, also behind a redirect and a name', async () => {
  const port = await serve(({ url }, response) => {
    if (url === '/moved') response.writeHead(302, { location: '/here' }).end()
    else response.end('found')
  })
  expect(await faultOf(`http://127.0.0.1:${port}/moved`, local(port))).toBe('found')
  expect(await faultOf(`http://localhost:${port}/here`, local(port))).toBe('found')
})

test.each([
  'http://127.0.0.1',
  'http://0x7f.1',
  'http://2130706433',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://169.254.169.254/latest/meta-data',
])('error: nobody is asked at %s', async (url) => {
  expect(await faultOf(url, open)).toBe('It is at an address that is not public')
})

test('error: a name that leads to the machine itself is not followed, nor is a port that is not of the web', async () => {
  let asked = 0
  const port = await serve((_, response) => {
    asked += 1
    response.end('secret')
  })
  const isAllowed = ({ address }: { address: string }) => !/^127\.|^::1$/.test(address)
  expect(await faultOf(`http://localhost:${port}`, { ...open, isAllowed })).toContain(
    'no address that is public',
  )
  expect(await faultOf(`http://8.8.8.8:${port}`, open)).toContain('not public')
  expect(asked).toBe(0)
})

test('error: a redirect is looked at as the first address was', async () => {
  let asked = 0
  const inner = await serve((_, response) => {
    asked += 1
    response.end('secret')
  })
  const targets = [`http://127.0.0.1:${inner}`, 'file:///etc/passwd', 'http://', 'ftp://a.example']
  for (const location of targets) {
    const port = await serve((_, response) => void response.writeHead(301, { location }).end())
    expect(await faultOf(`http://127.0.0.1:${port}`, local(port))).toMatch(/not public|no address/)
  }
  expect(asked).toBe(0)
})

test('error: more redirects, bytes or time than are allowed, and what is no answer', async () => {
  const port = await serve(({ url }, response) => {
    if (url === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (url === '/long') response.end('x'.repeat(1_001))
    else if (url === '/gone') response.writeHead(404).end()
    else if (url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    else if (url === '/cut')
      response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy())
  })
  const at = (path: string, options = local(port)) =>
    faultOf(`http://127.0.0.1:${port}${path}`, options)
  expect(await at('/loop')).toBe('It redirects more than 2 times')
  expect(await at('/long')).toBe('It has more than 1000 bytes')
  expect(await at('/gone')).toBe('It answers 404')
  expect(await at('/packed')).toBe('It is compressed')
  expect(await at('/cut')).toMatch(/early|aborted/)
  expect(await at('/never', { ...local(port), msMax: 50 })).toMatch(/abort|timeout/i)
  expect(await faultOf('http://user:word@a.example', open)).toBe('It is no address of the web')
})
