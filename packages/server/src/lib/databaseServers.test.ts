import { expect, test } from 'vitest'
import { databaseServersOf, databaseServersProblem } from './databaseServers.ts'

test('default: each server of an address, as libpq writes several', () => {
  expect(databaseServersOf('postgres://u:p@one:5432,two:5433/tape?sslmode=require')).toEqual([
    'postgres://u:p@one:5432/tape?sslmode=require',
    'postgres://u:p@two:5433/tape?sslmode=require',
  ])
  expect(databaseServersOf('postgresql://one,[::1]:6000,10.0.0.3')).toEqual([
    'postgresql://one',
    'postgresql://[::1]:6000',
    'postgresql://10.0.0.3',
  ])
})

test('behavior: an address of one server is left as it is', () => {
  for (const url of [
    'postgres://u:p,q@one/tape',
    'postgres://u@localhost/tape?host=%2Ftmp%2Fa',
    'postgres:///tape',
    'no address',
  ]) {
    expect(databaseServersOf(url)).toEqual([url])
    expect(databaseServersProblem(url)).toBeNull()
  }
})

test('behavior: hosts and ports in the query, where folders of sockets are written', () => {
  expect(databaseServersOf('postgres://u@localhost/tape?host=%2Fa,%2Fb&port=1,2')).toEqual([
    'postgres://u@localhost/tape?host=%2Fa&port=1',
    'postgres://u@localhost/tape?host=%2Fb&port=2',
  ])
  expect(databaseServersOf('postgres://u@localhost/tape?port=7&host=a,b')).toEqual([
    'postgres://u@localhost/tape?port=7&host=a',
    'postgres://u@localhost/tape?port=7&host=b',
  ])
})

test('error: what is wrong is said, and which host it is of', () => {
  const cases: Record<string, string> = {
    'postgres://u@one,,two/tape': 'names no host between two commas (host 2 of 3)',
    'postgres://u@one,:5432/tape': 'names no host between two commas (host 2 of 2)',
    'postgres://u@one:5432,two:70000/tape':
      'has "70000" where a port belongs, 1 to 65535 (host 2 of 2)',
    'postgres://u@one:x,two/tape': 'has "x" where a port belongs, 1 to 65535 (host 1 of 2)',
    'postgres://u@h/tape?host=a,b,c&port=1,2': 'names 3 hosts and 2 ports',
    'postgres://u@o ne,two/tape': 'is no address (host 1 of 2)',
  }
  for (const [url, problem] of Object.entries(cases))
    expect(databaseServersProblem(url)).toBe(problem)
})

test('behavior: a sound address of several has no problem', () => {
  for (const url of [
    'postgres://u:p@one:5432,two:5433/tape',
    'postgres://u:p@w@one,[::1]:5432/tape',
    'postgres://u@localhost/tape?host=%2Fa,%2Fb',
  ])
    expect(databaseServersProblem(url)).toBeNull()
})
