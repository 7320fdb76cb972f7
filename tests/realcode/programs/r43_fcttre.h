! statement functions, written with a prefix for the constants
real(8) :: foedelta, foeew, foeewm
real(8) :: ptare
foedelta(ptare) = max(0.d0, sign(1.d0, ptare - CST(rtt)))
foeew(ptare) = CST(r2es)*exp((CST(r3les)*foedelta(ptare) + 2*(1 - foedelta(ptare)))*(ptare - CST(rtt))/(ptare + 10))
foeewm(ptare) = foeew(ptare)*foedelta(ptare) + 0.5d0*(1 - foedelta(ptare))
