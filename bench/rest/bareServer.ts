// The minimal server: node:http returning given bytes as ready buffers, which is cheaper than
// texts. Request bodies are read and ignored.
import { createServer } from 'node:http'

export type BareOrder = { type: 'cpu' } | { type: 'bodies'; bodies: string[] }
export type BareAnswer =
  | { type: 'ready'; port: number }
  | { type: 'cpu'; cpuMs: number }
  | { type: 'bodies' }

let bodies: Buffer[] = [Buffer.alloc(0)]
let at = 0

const server = createServer((request, response) => {
  const answer = () => {
    const body = bodies[at++ % bodies.length]!
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    })
    response.end(body)
  }
  if (request.method === 'GET') answer()
  else {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      Buffer.concat(chunks)
      answer()
    })
  }
})
const tell = (answer: BareAnswer) => process.send?.(answer)
process.on('message', (order: BareOrder) => {
  if (order.type === 'cpu') {
    const { user, system } = process.cpuUsage()
    tell({ type: 'cpu', cpuMs: (user + system) / 1_000 })
  } else {
    bodies = order.bodies.map((body) => Buffer.from(body))
    tell({ type: 'bodies' })
  }
})
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () =>
  tell({ type: 'ready', port: (server.address() as { port: number }).port }),
)
