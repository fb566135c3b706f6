// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Tokens with one trick each, for tests of the contract check.
abstract contract Base {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Trick";
    string public constant symbol = "TRICK";
    uint8 public constant decimals = 18;
    uint256 public totalSupply = 1e24;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address internal immutable maker = msg.sender;

    constructor() {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function approve(address spender, uint256 value) public virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) public virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Only the tokens of its creator can be spent by others, as every sale does.
contract SpendTrap is Base {
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        require(from == maker, "spend");
        return super.transferFrom(from, to, value);
    }
}

/// A sale returns success and moves nothing.
contract SilentTrap is Base {
    mapping(address => bool) public insider;
    address private pool;

    function favour(address account, address pool_) external {
        require(msg.sender == maker);
        insider[account] = true;
        pool = pool_;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (to == pool && from != maker && !insider[from]) return;
        super._move(from, to, value);
    }
}

/// A transfer to a contract may move at most three fifths of the balance.
contract PartSeller is Base {
    function _move(address from, address to, uint256 value) internal override {
        if (from != maker && to.code.length > 0) require(value * 5 <= balanceOf[from] * 3, "too much");
        super._move(from, to, value);
    }
}

/// One transfer per account and block.
contract OncePerBlock is Base {
    mapping(address => uint256) private last;

    function _move(address from, address to, uint256 value) internal override {
        if (from != maker && from.code.length == 0) {
            require(last[from] != block.number, "cooldown");
        }
        if (tx.origin == from || tx.origin == to) {
            require(from == maker || last[tx.origin] != block.number, "cooldown");
            last[tx.origin] = block.number;
        }
        super._move(from, to, value);
    }
}

/// Contracts other than pools cannot send or receive.
contract NoContracts is Base {
    mapping(address => bool) private isPool;

    function allow(address pool) external {
        require(msg.sender == maker);
        isPool[pool] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(from.code.length == 0 || isPool[from], "contract");
        require(to.code.length == 0 || isPool[to] || from == maker, "contract");
        super._move(from, to, value);
    }
}

/// Buys are free, sales are taxed a quarter, transfers a tenth.
contract ThreeTaxes is Base {
    address private pool;

    function setPool(address pool_) external {
        require(msg.sender == maker);
        pool = pool_;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 tax = from == maker || from == pool ? 0 : to == pool ? value / 4 : value / 10;
        super._move(from, to, value - tax);
        if (tax > 0) super._move(from, address(0xdEaD), tax);
    }
}

/// A function with an innocent name mints tokens to the creator.
contract Backdoor is Base {
    function sync(uint256 value) external {
        require(msg.sender == maker);
        balanceOf[maker] += value;
    }
}

/// A proxy with the implementation in the slot of EIP-1967.
contract Proxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}

/// A proxy that keeps the address of its implementation in a place of its own.
contract StrangeProxy {
    address private immutable target;

    constructor(address target_) {
        target = target_;
    }

    fallback() external payable {
        address to = target;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}

/// A token whose ownership can be renounced publicly.
abstract contract Renounced is Base {
    address public owner = msg.sender;

    function renounceOwnership() external {
        require(msg.sender == owner);
        owner = address(0);
    }
}

/// An account that no function returns can change balances.
contract HiddenKeeper is Renounced {
    bool private isTuned = true;
    address private keeper = address(0x1111111111111111111111111111111111111111);

    function tune(address account, uint256 value) external {
        require(isTuned && msg.sender == keeper);
        balanceOf[account] = value;
    }
}

/// Like HiddenKeeper, but a function returns the account.
contract OpenKeeper is Renounced {
    address public keeper = address(0x1111111111111111111111111111111111111111);

    function tune(address account, uint256 value) external {
        require(msg.sender == keeper);
        balanceOf[account] = value;
    }
}

/// The former owner stays on a list of accounts that may mint.
contract ListedMinters is Renounced {
    mapping(address => bool) private authorized;

    constructor() {
        authorized[msg.sender] = true;
    }

    function leave() external {
        authorized[msg.sender] = false;
    }

    function mint(address account, uint256 value) external {
        require(authorized[msg.sender]);
        totalSupply += value;
        balanceOf[account] += value;
    }
}

/// Roles as in OpenZeppelin's AccessControl, without member lists.
contract RoleMinters is Renounced {
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);

    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    mapping(bytes32 => mapping(address => bool)) public hasRole;

    constructor() {
        grantRole(0x00, msg.sender, true);
        grantRole(MINTER_ROLE, msg.sender, true);
    }

    function grantRole(bytes32 role, address account, bool isGiven) public {
        require(msg.sender == maker && (hasRole[0x00][msg.sender] || totalSupply == 1e24));
        hasRole[role][account] = isGiven;
        if (isGiven) emit RoleGranted(role, account, msg.sender);
        else emit RoleRevoked(role, account, msg.sender);
    }

    function mint(address account, uint256 value) external {
        require(hasRole[MINTER_ROLE][msg.sender]);
        totalSupply += value;
        balanceOf[account] += value;
    }
}

/// A facet of a diamond token that freezes accounts.
contract FreezeFacet {
    mapping(address => bool) private frozen;

    function freeze(address account) external {
        frozen[account] = true;
    }
}

/// A diamond (EIP-2535) with the storage layout of the standard's reference implementation.
contract Diamond {
    struct Facet {
        address facetAddress;
        bytes4[] functionSelectors;
    }
    struct Place {
        address facet;
        uint96 position;
    }
    struct Storage {
        mapping(bytes4 => Place) places;
    }

    address[] private facetsListed;
    mapping(address => bytes4[]) private selectorsOf;
    bool private isTold;

    function _storage() private pure returns (Storage storage found) {
        bytes32 slot = keccak256("diamond.standard.diamond.storage");
        assembly {
            found.slot := slot
        }
    }

    constructor(Facet[] memory listed, bool isTold_) {
        isTold = isTold_;
        for (uint256 i = 0; i < listed.length; i++) {
            facetsListed.push(listed[i].facetAddress);
            selectorsOf[listed[i].facetAddress] = listed[i].functionSelectors;
            for (uint256 j = 0; j < listed[i].functionSelectors.length; j++)
                _storage().places[listed[i].functionSelectors[j]] = Place(listed[i].facetAddress, uint96(j));
        }
    }

    function facets() external view returns (Facet[] memory listed) {
        require(isTold);
        listed = new Facet[](facetsListed.length);
        for (uint256 i = 0; i < listed.length; i++)
            listed[i] = Facet(facetsListed[i], selectorsOf[facetsListed[i]]);
    }

    fallback() external payable {
        address to = _storage().places[msg.sig].facet;
        require(to != address(0));
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}

interface IConcentrated {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address to, int24 lower, int24 upper, uint128 liquidity, bytes calldata data) external;
}

/// Adds liquidity to a concentrated pool for the sender of the transaction, who pays.
contract PositionMaker {
    function mint(IConcentrated pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.mint(msg.sender, lower, upper, liquidity, abi.encode(msg.sender));
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        address payer = abi.decode(data, (address));
        Base(IConcentrated(msg.sender).token0()).transferFrom(payer, msg.sender, amount0);
        Base(IConcentrated(msg.sender).token1()).transferFrom(payer, msg.sender, amount1);
    }
}

/// A volatile Solidly pair: it has its own quote function and pays out its fee in each trade.
contract QuotedPair {
    address public immutable token0;
    address public immutable token1;
    uint256 private reserve0;
    uint256 private reserve1;

    constructor(address token0_, address token1_) {
        (token0, token1) = (token0_, token1_);
    }

    function getReserves() public view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, block.timestamp);
    }

    function sync() public {
        (reserve0, reserve1) = (Base(token0).balanceOf(address(this)), Base(token1).balanceOf(address(this)));
    }

    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = tokenIn == token0 ? (reserve0, reserve1) : (reserve1, reserve0);
        amountIn -= amountIn / 100;
        return (amountIn * reserveOut) / (reserveIn + amountIn);
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        uint256 k = reserve0 * reserve1;
        uint256 in0 = Base(token0).balanceOf(address(this)) - reserve0;
        uint256 in1 = Base(token1).balanceOf(address(this)) - reserve1;
        if (in0 > 0) Base(token0).transfer(address(0xFee), in0 / 100);
        if (in1 > 0) Base(token1).transfer(address(0xFee), in1 / 100);
        if (out0 > 0) Base(token0).transfer(to, out0);
        if (out1 > 0) Base(token1).transfer(to, out1);
        sync();
        require(reserve0 * reserve1 >= k, "K");
    }
}
