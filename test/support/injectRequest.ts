// Requests to a server over a real socket. The server starts listening at the first request.
import { once } from 'node:events'
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { HttpServer } from '../../packages/server/src/gateway/http/httpServer.ts'

export type InjectOptions = {
  method?: string
  url: string
  headers?: OutgoingHttpHeaders
  payload?: string | Buffer
}

export type InjectResponse = {
  statusCode: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests
  json(): any
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

const agent = new Agent({ keepAlive: true })
const listening = new Map<HttpServer, Promise<unknown>>()

/**
 * Closes all servers that were asked. An open server keeps its market and goes on ranking it, so
 * every test file ends with this (`closeServers.ts`).
 */
export async function closeAskedServers(): Promise<void> {
  const apps = [...listening.keys()]
  listening.clear()
  await Promise.all(
    apps.map((app) => {
      app.server.closeAllConnections()
      return app.close()
    }),
  )
}

async function portOf(app: HttpServer): Promise<number> {
  if (!app.server.listening && !listening.has(app)) {
    // Without `app.listen`, which reads all static files and starts to rank tokens.
    listening.set(app, once(app.server.listen(0, '127.0.0.1'), 'listening'))
    app.server.unref()
  }
  await listening.get(app)
  return (app.server.address() as AddressInfo).port
}

export async function injectRequest(
  app: HttpServer,
  options: InjectOptions | string,
): Promise<InjectResponse> {
  const { method = 'GET', url, headers = {}, payload } = given(options)
  // Percent-encodes the URL as a client does.
  const { pathname, search } = new URL(`http://localhost${url}`)
  const port = await portOf(app)
  return new Promise((resolve, reject) => {
    const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }
    const asking = request({
      host: '127.0.0.1',
      port,
      method,
      path: pathname + search,
      agent,
      headers: { ...length, ...headers },
    })
    asking.once('error', reject)
    asking.once('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const decode = decoders[response.headers['content-encoding'] ?? '']
      const bytes = Buffer.concat(chunks)
      const body = (decode === undefined || bytes.length === 0 ? bytes : decode(bytes)).toString()
      const statusCode = response.statusCode ?? 0
      resolve({ statusCode, headers: response.headers, body, json: () => JSON.parse(body) })
    })
    asking.end(payload)
  })
}

function given(options: InjectOptions | string): InjectOptions {
  return typeof options === 'string' ? { url: options } : options
}
