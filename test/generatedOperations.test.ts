// Generated from the table of operations: the client's methods, and the operations that the tools
// of packages/mcp use.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientOperations, clientOperationsPath } from '../packages/server/scripts/writeClient.ts'
import { mcpOperations, mcpOperationsPath } from '../packages/server/scripts/writeMcp.ts'

test.each([
  ['client', clientOperationsPath, clientOperations],
  ['mcp', mcpOperationsPath, mcpOperations],
])(
  'default: operations.ts of %s is generated from the table (npm run generate)',
  (_, path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text())
  },
)
