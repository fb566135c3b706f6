import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { GeneratedChain } from '../../../../../devnet/src/solana/generatedChain.ts'
import { startSolanaRpc } from '../../../../../devnet/src/solana/solanaRpcServer.ts'
import type { SolanaChainSetup } from '../../../kinds/solana/solanaSetup.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { DoctorCheckOptions } from '../finding.ts'
import { checkSolanaNodes } from './checkSolanaNodes.ts'

/**
 * Proxies a node and adds an answer to getAgGenesisCert, which the node itself does not support.
 */
async function withCertificate(url: string, certificate: unknown) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { method, id } = JSON.parse(body) as { method: string; id: number }
    const headers = { 'content-type': 'application/json' }
    const text =
      method === 'getAgGenesisCert' && certificate !== undefined
        ? JSON.stringify({ jsonrpc: '2.0', id, result: certificate })
        : await (await fetch(url, { method: 'POST', headers, body })).text()
    response.writeHead(200, headers).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

test('behavior: reports whether Alpenglow is active, if a node supports it', async () => {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_790_000_000, transactions: 1 })
  chain.mine(3)
  const node = await startSolanaRpc(() => chain)
  const options = {
    config: { limits: { head_age_s_max: 60 } },
    logger: createLogger('silent'),
    nowMs: () => 1_790_000_001_000,
  } as DoctorCheckOptions
  const said: (string | undefined)[] = []
  const certificate = { block: { slot: 7, blockId: [1, 2] }, signature: { bitmap: [255] } }
  for (const answer of [undefined, null, certificate, 'odd']) {
    const front = await withCertificate(node.url, answer)
    const setup = {
      profile: { name: 'solana' },
      endpoints: [{ httpUrl: front.url }],
      streams: [],
    } as unknown as SolanaChainSetup
    const findings = await checkSolanaNodes(setup, options)
    said.push(findings.find(({ check }) => check === 'consensus')?.text)
    front.close()
  }
  await node.stop()
  expect(said).toEqual([
    undefined,
    'Alpenglow is not active: final blocks follow confirmed ones.',
    'Alpenglow is active: confirmed blocks are final, and processed ones are reverted more often.',
    undefined,
  ])
})
