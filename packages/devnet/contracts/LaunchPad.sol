// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {LaunchToken} from "./LaunchToken.sol";

interface IWeth {
    function deposit() external payable;
    function transfer(address to, uint256 value) external returns (bool);
}

interface IFactory {
    function getPair(address tokenA, address tokenB) external view returns (address);
    function createPair(address tokenA, address tokenB) external returns (address);
}

interface IPair {
    function mint(address to) external returns (uint256);
}

/// Bonding curves in the native token: a constant product over virtual reserves. A full curve moves
/// to a Uniswap V2 pair with all it raised, and the liquidity is burnt.
///
/// What an indexer needs, and all it needs:
///   TokenCreated(address indexed token, address indexed creator, uint256 supply, uint256 targetEth)
///   Trade(address indexed token, address indexed trader, bool isBuy, uint256 tokenAmount, uint256 ethAmount,
///         uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth)
///   Graduated(address indexed token, address indexed pair, uint256 tokenAmount, uint256 ethAmount)
/// In one transaction TokenCreated comes before its first Trade, the last Trade before the pair's
/// PairCreated, Sync and Mint, and Graduated after them.
contract LaunchPad {
    event TokenCreated(address indexed token, address indexed creator, uint256 supply, uint256 targetEth);
    /// Reserves are those after the trade; ethAmount is what entered or left the curve, without the fee.
    event Trade(
        address indexed token,
        address indexed trader,
        bool isBuy,
        uint256 tokenAmount,
        uint256 ethAmount,
        uint256 virtualToken,
        uint256 virtualEth,
        uint256 realToken,
        uint256 realEth
    );
    event Graduated(address indexed token, address indexed pair, uint256 tokenAmount, uint256 ethAmount);

    struct Curve {
        uint256 virtualToken;
        uint256 virtualEth;
        uint256 realToken;
        uint256 realEth;
        bool isOpen;
    }

    uint256 public constant SUPPLY = 1_000_000_000e18;
    /// Sold on the curve; the rest of the supply waits for the pair.
    uint256 public constant CURVE_SUPPLY = 793_100_000e18;
    /// Chosen so that the pair opens at the curve's last price.
    uint256 public constant VIRTUAL_TOKEN = 1_073_000_000e18;
    uint256 public constant FEE_BPS = 100;
    address public constant BURN = 0x000000000000000000000000000000000000dEaD;

    address public immutable weth;
    address public immutable factory;
    address public immutable owner;
    /// Virtual native reserve of a new curve; a curve is full when it raised about 2.83 times this.
    uint256 public immutable virtualEthStart;

    mapping(address => Curve) public curves;
    address[] public tokens;
    uint256 public fees;
    bool private locked;

    modifier lock() {
        require(!locked, "locked");
        locked = true;
        _;
        locked = false;
    }

    constructor(address weth_, address factory_, uint256 virtualEthStart_) {
        require(virtualEthStart_ > 0, "virtual");
        weth = weth_;
        factory = factory_;
        owner = msg.sender;
        virtualEthStart = virtualEthStart_;
    }

    /// What a whole curve raises.
    function targetEth() public view returns (uint256) {
        return _cost(VIRTUAL_TOKEN, virtualEthStart, CURVE_SUPPLY);
    }

    function tokenCount() external view returns (uint256) {
        return tokens.length;
    }

    /// Value sent along is the creator's first buy.
    function createToken(string calldata name, string calldata symbol) external payable lock returns (address token) {
        token = address(new LaunchToken(name, symbol, SUPPLY, factory, weth));
        curves[token] = Curve(VIRTUAL_TOKEN, virtualEthStart, CURVE_SUPPLY, 0, true);
        tokens.push(token);
        emit TokenCreated(token, msg.sender, SUPPLY, targetEth());
        if (msg.value > 0) _buy(token, 0);
    }

    function buy(address token, uint256 tokenAmountMin) external payable lock returns (uint256) {
        return _buy(token, tokenAmountMin);
    }

    function sell(address token, uint256 tokenAmount, uint256 ethMin) external lock returns (uint256 paid) {
        Curve storage curve = curves[token];
        require(curve.isOpen, "closed");
        require(tokenAmount > 0, "amount");
        uint256 ethOut = (curve.virtualEth * tokenAmount) / (curve.virtualToken + tokenAmount);
        require(ethOut <= curve.realEth, "reserve");
        uint256 fee = _feeOf(ethOut);
        paid = ethOut - fee;
        require(paid >= ethMin, "slippage");
        curve.virtualToken += tokenAmount;
        curve.virtualEth -= ethOut;
        curve.realToken += tokenAmount;
        curve.realEth -= ethOut;
        fees += fee;
        LaunchToken(token).transferFrom(msg.sender, address(this), tokenAmount);
        _emitTrade(token, curve, false, tokenAmount, ethOut);
        _send(msg.sender, paid);
    }

    function withdrawFees() external lock {
        uint256 amount = fees;
        fees = 0;
        _send(owner, amount);
    }

    function _buy(address token, uint256 tokenAmountMin) private returns (uint256 tokenAmount) {
        Curve storage curve = curves[token];
        require(curve.isOpen, "closed");
        uint256 fee = _feeOf(msg.value);
        uint256 ethIn = msg.value - fee;
        tokenAmount = (curve.virtualToken * ethIn) / (curve.virtualEth + ethIn);
        if (tokenAmount >= curve.realToken) {
            tokenAmount = curve.realToken;
            ethIn = _cost(curve.virtualToken, curve.virtualEth, tokenAmount);
            fee = _feeOf(ethIn);
        }
        require(tokenAmount > 0 && tokenAmount >= tokenAmountMin, "slippage");
        curve.virtualToken -= tokenAmount;
        curve.virtualEth += ethIn;
        curve.realToken -= tokenAmount;
        curve.realEth += ethIn;
        fees += fee;
        LaunchToken(token).transfer(msg.sender, tokenAmount);
        _emitTrade(token, curve, true, tokenAmount, ethIn);
        if (curve.realToken == 0) _graduate(token, curve);
        if (msg.value > ethIn + fee) _send(msg.sender, msg.value - ethIn - fee);
    }

    function _graduate(address token, Curve storage curve) private {
        uint256 tokenAmount = SUPPLY - CURVE_SUPPLY;
        uint256 ethAmount = curve.realEth;
        curve.isOpen = false;
        curve.realEth = 0;
        address pair = IFactory(factory).getPair(token, weth);
        if (pair == address(0)) pair = IFactory(factory).createPair(token, weth);
        LaunchToken(token).graduate();
        LaunchToken(token).transfer(pair, tokenAmount);
        IWeth(weth).deposit{value: ethAmount}();
        IWeth(weth).transfer(pair, ethAmount);
        IPair(pair).mint(BURN);
        emit Graduated(token, pair, tokenAmount, ethAmount);
    }

    /// Rounded up, so that the product never shrinks.
    function _cost(uint256 virtualToken, uint256 virtualEth, uint256 tokenAmount) private pure returns (uint256) {
        uint256 left = virtualToken - tokenAmount;
        return (virtualEth * tokenAmount + left - 1) / left;
    }

    /// Rounded up, so that a trade of one wei pays too.
    function _feeOf(uint256 amount) private pure returns (uint256) {
        return (amount * FEE_BPS + 9_999) / 10_000;
    }

    function _emitTrade(address token, Curve storage curve, bool isBuy, uint256 tokenAmount, uint256 ethAmount) private {
        emit Trade(
            token,
            msg.sender,
            isBuy,
            tokenAmount,
            ethAmount,
            curve.virtualToken,
            curve.virtualEth,
            curve.realToken,
            curve.realEth
        );
    }

    function _send(address to, uint256 amount) private {
        (bool ok, ) = to.call{value: amount}("");
        require(ok, "send");
    }
}
