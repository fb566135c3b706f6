// The methods of the client are generated: they are what the table of operations says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientOperations, clientOperationsPath } from '../packages/server/scripts/writeClient.ts'

test('default: operations.ts is what the table of operations says (npm run generate)', () => {
  expect(readFileSync(clientOperationsPath, 'utf8')).toBe(clientOperations())
})
