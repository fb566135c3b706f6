import { expect, test } from 'vitest'
import { createMcpLoader, loadMcpPackage, serveMcp } from './mcp.ts'

const absent = () => loadMcpPackage('@chaintape/never-installed')

test('default: loads the installed package', async () => {
  const mcp = await createMcpLoader('0.0.0')()
  expect(mcp?.operationOf({ method: 'tools/call', params: { name: 'search' } })).toBe(
    'searchTokens',
  )
})

test('error: without the package, names what to install', async () => {
  expect(await createMcpLoader('0.0.0', absent)()).toBeNull()
  const options = { version: '0.0.0', url: 'http://127.0.0.1:1', apiKey: 'ct_x' }
  await expect(serveMcp(options, absent)).rejects.toMatchObject({
    code: 'MCP_NOT_INSTALLED',
    shortMessage: expect.stringContaining('npm install @chaintape/mcp'),
  })
})
