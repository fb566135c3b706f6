import { type Agent, request } from 'node:http'

/** Returns the bytes of the node's answer. */
export function postJson(url: string, agent: Agent, body: string | Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve(Buffer.concat(parts)))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
